using Ambrosia.CodeGen.Tests.Support;

namespace Ambrosia.CodeGen.Tests;

/// <summary>What a careful user writes must pass without a word.</summary>
public sealed class AcceptedTests
{
    [Fact]
    public async Task An_ordinary_immortal_passes()
    {
        Assert.Empty(await Analysis.RunAsync("""
            namespace Shop;

            [ImmortalInterface]
            public interface IBank
            {
                decimal Deposit(string account, decimal amount);
                Task<int> CountAsync();
                [Impulse] void Tick(int number);
            }

            public sealed class Account { public decimal Balance; public List<string> Notes { get; } = []; }

            public sealed class Bank : BankBase
            {
                private static readonly string[] s_names = ["a", "b"];
                private readonly DurableDictionary<string, Account> _accounts = [];
                private readonly Dictionary<string, int> _counts = new(StringComparer.Ordinal);
                private DurableTask<int>? _started;
                private BankProxy? _other;
                [NotSaved] private Thread? _thread;
                [NotSaved] private readonly System.Net.Http.HttpClient _http = new();
                [NotSaved] private System.Diagnostics.Stopwatch Watch2 { get; set; } = System.Diagnostics.Stopwatch.StartNew();

                public override async DurableTask<decimal> Deposit(string account, decimal amount)
                {
                    Account found = _accounts[account];
                    _other ??= Proxy<BankProxy>("other");
                    int seen = await _other.CountAsync();
                    found.Balance += seen;
                    foreach (Account each in _accounts.Values)
                    {
                        _other.TickFork((int)each.Balance);
                    }

                    foreach (string name in s_names)
                    {
                        await This.DepositAsync(name, 1);
                    }

                    foreach (string name in _counts.Keys.ToArray())
                    {
                        await This.DepositAsync(name, 1);
                    }

                    foreach (int count in _counts.Values)
                    {
                        seen += count;
                    }

                    await DurableTask.WhenAll(This.CountAsync(), This.CountAsync());
                    await Delay(TimeSpan.FromHours(1));
                    int chance = Random.Next() + new Random(5).Next();
                    Guid id = NewGuid();
                    using (System.IO.MemoryStream stream = new()) { stream.WriteByte(1); }
                    return found.Balance + chance + id.ToByteArray()[0] + LogTime.Year + _counts.Where(c => c.Value > 1).Count();
                }

                public override DurableTask<int> CountAsync() => _counts.Count;

                public override DurableTask Tick(int number)
                {
                    _started = This.CountAsync();
                    This.DepositFork("a", number);
                    return default;
                }

                protected override void BecomingPrimary(ImmortalContext context)
                {
                    _thread = new Thread(Watch);
                    _thread.Start();
                    _ = ListenAsync(context);
                    Task.Run(async () => await This.TickImpulse(DateTime.Now.Second));
                }

                private void Watch()
                {
                    Thread.Sleep(1000);
                    Read();
                }

                private void Read() => This.TickImpulse(Console.ReadLine()!.Length);

                private async Task ListenAsync(ImmortalContext context)
                {
                    while (!context.Stopping.IsCancellationRequested)
                    {
                        await Task.Delay(100).ConfigureAwait(false);
                        await This.TickImpulse(Guid.NewGuid().ToByteArray()[0]);
                    }
                }

                public static async Task Main(string[] args) => await RunAsync<Bank>(args);
            }

            public static class Program2
            {
                public static async Task<string> Ordinary()
                {
                    using System.IO.MemoryStream stream = new();
                    await stream.WriteAsync(new byte[1]);
                    await Task.Delay(1);
                    return DateTime.Now.ToString();
                }
            }
            """));
    }

    [Fact]
    public async Task A_contract_that_fits_passes()
    {
        Assert.Empty(await Analysis.RunAsync(
            """
            namespace Shop;
            [ImmortalInterface]
            public interface IBank
            {
                decimal Deposit(string account, decimal amount);
                [MethodId(7)] void Renamed();
            }
            """,
            """
            # comment

            Shop.IBank 1426513567 Deposit(System.String,System.Decimal) -> System.Decimal
            Shop.IBank 7 Old() -> void
            Shop.IBank 7 Renamed() -> void
            """));
    }
}
