// The style sheet of every page. It has no '<' or '&', so that the page is also well-formed XML.
#pragma once

#include <string_view>

namespace irn::report {

inline constexpr std::string_view kPageStyle = R"(
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #1f2328; line-height: 1.55;
       font-family: Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif; font-size: 16px; }
main, header, footer, nav { max-width: 60rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2.5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.35rem; margin: 2.6rem 0 0.6rem; padding-bottom: 0.25rem; border-bottom: 1px solid #d0d7de; }
h3 { font-size: 1.08rem; margin: 1.8rem 0 0.4rem; }
p, ul { max-width: 46rem; margin: 0.6rem 0; }
.subtitle { color: #57606a; font-size: 1.08rem; }
nav ol { margin: 1rem 0 0; padding: 0.7rem 1rem 0.7rem 2.4rem; background: #f6f8fa; border-radius: 6px;
         columns: 2; column-gap: 2.5rem; }
nav li { break-inside: avoid; }
a { color: #0b5cad; }
figure { margin: 1.6rem 0; }
figure svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
figcaption, caption { font-size: 0.92rem; color: #3b434b; text-align: left; }
figcaption { max-width: 52rem; margin: 0.5rem auto 0; }
caption { padding-bottom: 0.4rem; }
.scroll { overflow-x: auto; margin: 1.4rem 0; }
table { border-collapse: collapse; font-size: 0.92rem; border-bottom: 1.5px solid #444c56; }
th, td { padding: 0.34rem 0.8rem; text-align: left; vertical-align: top; }
thead th { border-top: 1.5px solid #444c56; border-bottom: 1px solid #444c56; vertical-align: bottom; }
tbody tr + tr td { border-top: 1px solid #e5e8eb; }
.right { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.centre { text-align: center; }
.badge { display: inline-block; padding: 0 0.5rem; border-radius: 4px; border: 1px solid; font-weight: 600;
         white-space: nowrap; }
.good { background: #e2f4ec; color: #00573f; border-color: #7cc7ae; }
.mixed { background: #fdf1d8; color: #6b4400; border-color: #dfb45f; }
.bad { background: #fbe4d8; color: #8a2f00; border-color: #e0966b; }
.neutral { background: #eef1f4; color: #3b434b; border-color: #c3cad1; }
.note { border-style: solid; border-width: 1px 1px 1px 5px; border-radius: 4px; padding: 0.5rem 0.9rem; max-width: 44rem; }
code, pre { font-family: 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 0.88em; }
pre { background: #f6f8fa; border: 1px solid #d8dee4; border-radius: 6px; padding: 0.7rem 1rem; overflow-x: auto; }
.facts { display: flex; flex-wrap: wrap; gap: 0.8rem; margin: 1.2rem 0; }
.facts div { border: 1px solid #d0d7de; border-radius: 6px; padding: 0.5rem 1rem; min-width: 7rem; }
.facts dt { font-size: 0.82rem; color: #57606a; }
.facts dd { margin: 0; font-size: 1.2rem; font-weight: 600; font-variant-numeric: tabular-nums; }
details { border: 1px solid #d8dee4; border-radius: 6px; padding: 0.5rem 1rem; margin: 1rem 0; }
summary { cursor: pointer; font-weight: 600; }
footer { padding-bottom: 3rem; }
@media (max-width: 40rem) { nav ol { columns: 1; } }
@media print {
  body { font-size: 10.5pt; }
  main, header, footer, nav { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  figure, tr, pre, .note { break-inside: avoid; }
  pre { white-space: pre-wrap; }
  .badge, .note, thead th, nav ol { print-color-adjust: exact; }
  .scroll { overflow: visible; }
  a { color: inherit; text-decoration: none; }
}
)";

}  // namespace irn::report
