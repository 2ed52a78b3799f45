#!/usr/bin/env bash
# Compiles assemblies ahead of time, in place, that tests load in hundreds of short processes: those would spend much of their time on compiling them.
# ready.sh REGEX FOLDER...: assemblies below the folders whose names match. A build puts the plain ones back; nothing below src is touched, from which packages are made.
# Prints what it did. Where the compiler cannot be had, all stays as it is, and the run is slower: that is no failure.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
names=$1
shift
begin=$SECONDS
made=$here/../../../artifacts/ready
[ $# -gt 0 ] || exit 0
mkdir -p "$made"
made=$(cd "$made" && pwd)

if ! said=$(dotnet restore "$here/ready.proj" -v quiet 2>&1 && dotnet msbuild "$here/ready.proj" -t:Say -nologo -v:minimal 2>&1); then
  echo "Nothing compiled ahead of time: $(printf '%s' "$said" | head -n 1 | cut -c1-200)"
  exit 0
fi
compiler=$(sed -n 's/^ *compiler //p' <<<"$said")
framework=$(sed -n 's/^ *framework //p' <<<"$said")
made=$made/$(basename "${compiler%/tools/*}") # Of this version: what another one has made is refused by its runtime.
mkdir -p "$made/cache"
export made compiler framework

# compile HASH FILE: into the cache, by the hash of what it is made from; a text without an assembly is there for what was compiled already or cannot be, which stays as it is.
compile() {
  local hash=$1 file=$2 references=() folder
  while read -r folder; do references+=(-r "$folder/*.dll"); done <<<"$framework"
  "$compiler" "$file" -o "$made/cache/$hash.new" "${references[@]}" -r "$(dirname "$file")/*.dll" --targetos linux --targetarch "$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')" -O \
    >"$made/cache/$hash.txt" 2>&1 || { rm -f "$made/cache/$hash.new"; return 0; }
  echo "made from $hash" >"$made/cache/$(sha256sum "$made/cache/$hash.new" | cut -d ' ' -f 1).txt"
  mv "$made/cache/$hash.new" "$made/cache/$hash.dll"
}
export -f compile

found=$made/found-$$.txt
trap 'rm -f "$found"' EXIT
find "$made/cache" -mtime +14 -delete
find "$@" -name '*.dll' -regextype posix-extended -regex ".*/($names)\.dll" -print0 | xargs -0 -r sha256sum >"$found"
awk '!seen[$1]++' "$found" | while read -r hash file; do
  if [ ! -e "$made/cache/$hash.dll" ] && [ ! -e "$made/cache/$hash.txt" ]; then printf '%s\0%s\0' "$hash" "$file"; fi
done | xargs -0 -r -n 2 -P "$(nproc)" bash -c 'compile "$0" "$1"'

replaced=0
while read -r hash file; do
  [ -e "$made/cache/$hash.dll" ] || continue
  cp "$made/cache/$hash.dll" "$file.new"
  mv "$file.new" "$file"
  replaced=$((replaced + 1))
done <"$found"
echo "$replaced assemblies compiled ahead of time in $((SECONDS - begin)) s"
