// A subcommand: it adds its options to the command line; if chosen, it runs and returns the exit code.
#pragma once

#include <atomic>
#include <functional>

namespace CLI {
class App;
}

namespace irn::app {

// Exit codes, documented in docs/commands.md.
enum ExitCode { fine = 0, failed = 1, usage = 2, bad_data = 3, diverged = 4, interrupted = 130 };

// Ctrl-C and SIGTERM end the program at once, with code 130. After stop_in_good_order() they set
// stop_requested instead; the work looks at it and saves what it has. A second signal still ends the program.
// One that arrives together with the first does not count: `timeout` signals both the program and its group.
extern std::atomic<bool> stop_requested;
void stop_in_good_order();
// Handles SIGHUP, which a closed terminal sends, in the same way, unless it is ignored (nohup).
void on_hangup(void (*handler)(int));

using Run = std::function<int()>;

// Each adds its subcommand and returns the function to run if it is chosen.
Run add_train(CLI::App& app);
Run add_cv(CLI::App& app);
Run add_sweep(CLI::App& app);
Run add_predict(CLI::App& app);
Run add_eval(CLI::App& app);
Run add_info(CLI::App& app);
Run add_check(CLI::App& app);
Run add_importance(CLI::App& app);
Run add_compare(CLI::App& app);
Run add_bench(CLI::App& app);
Run add_reproduce(CLI::App& app);
Run add_study(CLI::App& app);
Run add_doctor(CLI::App& app);
Run add_completion(CLI::App& app);
Run add_man(CLI::App& app);

}  // namespace irn::app
