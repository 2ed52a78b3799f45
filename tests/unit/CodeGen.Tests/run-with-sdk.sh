#!/usr/bin/env bash
# ambrosia-codegen on a project, through the SDK's own MSBuild: too slow for a unit test.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$here/../../system/MessagePackCorpus/MessagePackCorpus.csproj
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # SENTENCE COMMAND...
  local sentence=$1
  shift
  if "$@"; then passed=$((passed + 1)); echo "ok      $sentence"; else failed=$((failed + 1)); echo "FAILED  $sentence"; fi
}

bash "$here/../../support/run/built.sh" src/CodeGen.Tool
tool() { dotnet "$here/../../../src/CodeGen.Tool/bin/Release/net8.0/ambrosia-codegen.dll" "$@"; }

cd "$work" # Nothing may depend on the current folder.
check "files are written for a project" tool generate "$project" -o out
check "base class and proxy are among them" grep -q "class OrdersProxy" out/Ambrosia.MessagePackCorpus.IOrders.g.cs
check "formatters are among them" test "$(ls out | wc -l)" -eq 6
check "the contract of a project is written" tool contract "$project" -o contract.txt
check "the contract fits from then on" tool contract "$project" -o contract.txt --check

mkdir shop
cat > shop/shop.csproj <<EOF
<Project Sdk="Microsoft.NET.Sdk">
  <Import Project="$here/../../../src/CSharpBinding/build/Ambrosia.CSharpBinding.props" />
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
  </PropertyGroup>
  <ItemGroup Condition="'\$(OwnDelay)' != ''">
    <RuntimeHostConfigurationOption Include="System.Runtime.TieredCompilation.CallCountingDelayMs" Value="\$(OwnDelay)" />
  </ItemGroup>
  <Import Project="$here/../../../src/CSharpBinding/build/Ambrosia.CSharpBinding.targets" />
</Project>
EOF
delay() { # PROPERTY...: the setting in an app's runtimeconfig.json
  dotnet msbuild shop -nologo -nodeReuse:false -getItem:RuntimeHostConfigurationOption "$@" |
    grep -A 3 '"Identity": "System.Runtime.TieredCompilation.CallCountingDelayMs"' | grep -o '"Value": "[0-9]*"' || echo none
}
check "an app compiles early what runs often" test "$(delay -p:OutputType=Exe)" = '"Value": "16"'
check "a project's own setting stays" test "$(delay -p:OutputType=Exe -p:OwnDelay=70)" = '"Value": "70"'
check "a library has none" test "$(delay)" = none
shop() { # METHODS [OPTION...]
  echo "using Ambrosia; [ImmortalInterface] public interface IShop { $1 }" > shop/IShop.cs
  dotnet build shop -c Release -nodereuse:false --nologo -v quiet "${@:2}" > shop/output.txt 2>&1
}
contract=shop/ImmortalContracts.txt
check "a build server writes no contract" shop "int Sell(int item);" -p:ContinuousIntegrationBuild=true
check "there is none" test ! -e "$contract"
check "a build writes the contract" shop "int Sell(int item);"
check "it has the method" grep -q '^IShop [0-9]* Sell(System.Int32) -> System.Int32$' "$contract"
echo "# don't \$(HOME) @(x); 50 %41" >> "$contract"
check "a new method is added without a warning" shop "int Sell(int item); int? Find(System.Collections.Generic.List<int?> items);" -warnaserror
check "it stands in the contract" grep -q '^IShop [0-9]* Find(' "$contract"
check "a comment stays as it is" grep -qxF "# don't \$(HOME) @(x); 50 %41" "$contract"
check "a method that is gone is an error" bash -c "! { $(declare -f shop); shop 'int? Find(System.Collections.Generic.List<int?> items);'; }"
line=$(grep -n ' Sell(' "$contract" | cut -d: -f1)
check "the error names file and line" grep -q "shop/ImmortalContracts.txt($line,1): error AMB020" shop/output.txt

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
