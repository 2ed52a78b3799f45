#!/usr/bin/env bash
# Writes what the libraries let users name into PublicAPI.Unshipped.txt beside each; a release moves it to PublicAPI.Shipped.txt. Look at the difference before you commit it: what is gone
# breaks somebody. Needs the SDK.
#   packaging/write-public-api.sh [PROJECT...]     such as CSharpBinding; default: all that have the files
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
projects=("$@")
[ ${#projects[@]} -gt 0 ] || mapfile -t projects < <(ls -d src/*/PublicAPI.Shipped.txt | cut -d/ -f2)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for project in "${projects[@]}"; do
  file=src/$project/PublicAPI.Unshipped.txt
  printf '#nullable enable\n' >"$file"
  dotnet build "src/$project" -c Release -f net8.0 -nodereuse:false --nologo -v quiet -p:TreatWarningsAsErrors=false >/dev/null
  # All that is missing is a warning for once, with its name in the compiler's log. It says one thing about one place: a type first, and its constructor the next time.
  while :; do
    rm -f "$log"
    dotnet build "src/$project" -c Release -f net8.0 -nodereuse:false --nologo -v quiet --no-dependencies --no-incremental -p:TreatWarningsAsErrors=false -p:ErrorLog="$log" >/dev/null
    missing=$(grep -o '"APIName": "\([^"\\]\|\\.\)*"' "$log" | sed 's/^"APIName": "//; s/"$//; s/\\\(.\)/\1/g') || break
    { echo '#nullable enable'; { tail -n +2 "$file"; echo "$missing"; } | LC_ALL=C sort -u; } >"$log.new"
    mv "$log.new" "$file"
  done
  echo "$file: $(($(wc -l <"$file") - 1)) names"
done
