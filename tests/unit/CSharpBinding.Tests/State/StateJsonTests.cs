using System.Buffers;
using System.Text.Json;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

public sealed class StateJsonTests
{
    private sealed class Bank
    {
        public DurableDictionary<string, decimal> Accounts = new() { ["a"] = 1.5m };
        public DurableCompletion<int> Gate = new();
        public DurableTask<int> Running;
        public object? Self;
        [NotSaved]
        public string Hidden = "hidden";
        public (int, string) Pair = (1, "two");
        public byte[] Bytes = [1, 2];
        public double Odd = double.NaN;
        public DateTime When = new(2024, 1, 2, 3, 4, 5, DateTimeKind.Utc);

        public async DurableTask<int> Deposit(string account, int amount)
        {
            int doubled = amount * 2;
            await Gate.Task;
            return doubled + account.Length;
        }
    }

    [Fact]
    public void A_state_is_shown_with_suspended_methods_and_their_locals_and_without_end_in_cycles()
    {
        Bank bank = new();
        bank.Self = bank;
        bank.Running = bank.Deposit("savings", 21);
        JsonElement json = Parse(bank);
        Assert.Equal(1.5m, json.GetProperty("Accounts").GetProperty("entries").GetProperty("a").GetDecimal());
        Assert.Equal(1, json.GetProperty("Self").GetProperty("$same").GetInt32());
        Assert.False(json.TryGetProperty("Hidden", out _));
        Assert.Equal("0102", json.GetProperty("Bytes").GetString()!.Split(' ')[^1]);
        string text = json.ToString();
        Assert.Contains("StateJsonTests.Bank.Deposit (suspended)", text, StringComparison.Ordinal);
        Assert.Contains("\"account\":\"savings\"", text.Replace(" ", "", StringComparison.Ordinal), StringComparison.Ordinal);
        Assert.Contains("42", text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_deep_or_long_state_is_cut_and_says_so()
    {
        object? deep = null;
        for (int i = 0; i < 10_000; i++)
        {
            deep = new object?[] { deep };
        }
        Assert.Contains("deeper", Parse(deep).ToString(), StringComparison.Ordinal);
        Assert.Contains("more than 1000 items", Parse(new int[5000]).ToString(), StringComparison.Ordinal);
    }

    private static JsonElement Parse(object? state)
    {
        ArrayBufferWriter<byte> bytes = new();
        using (Utf8JsonWriter json = new(bytes))
        {
            StateJson.Write(json, state);
        }
        return JsonDocument.Parse(bytes.WrittenMemory).RootElement;
    }
}
