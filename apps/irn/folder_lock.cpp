#include "apps/irn/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "irn/base/error.h"

namespace irn::app {

// The kernel releases the lock when a program ends, however it ends.
FolderLock::FolderLock(const std::filesystem::path& folder, const std::string& command)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  throw Error("another " + command + " is at work in '" + folder.string() +
              "'; wait for it, or name another folder");
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace irn::app
