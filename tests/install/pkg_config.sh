#!/usr/bin/env bash
# Builds and runs the consumer with what pkg-config says: pkg_config.sh LIBDIR SOURCE PROGRAM "COMPILER FLAGS".
set -euo pipefail
libdir=$1 source=$2 program=$3
read -ra compile <<<"$4"

export PKG_CONFIG_PATH=$libdir/pkgconfig
for mode in "" --static; do
  read -ra options < <(pkg-config $mode --cflags --libs irn)
  "${compile[@]}" -std=c++20 "$source" "${options[@]}" -Wl,-rpath,"$libdir" -o "$program"
  "$program"
done
