using System.Globalization;

namespace Ambrosia.Runtime;

/// <summary>
/// What a host's configuration says in place of [Retry]: attempts are no history, so it may differ from process to process. Written as
/// <c>IPayments.Charge timeout=00:00:10 attempts=5; IMail within=1.00:00:00</c>. An entry for a method counts before one for its interface.
/// </summary>
internal sealed class RetryOverrides
{
    private readonly List<(string Name, string Setting, long Value)> _all = [];

    private RetryOverrides(string text)
    {
        Text = text;
    }

    /// <summary>Nothing is said.</summary>
    public static RetryOverrides None { get; } = new("");

    /// <summary>As it was written.</summary>
    public string Text { get; }

    /// <summary>Reads them.</summary>
    /// <exception cref="FormatException">It is written otherwise, or a value is none.</exception>
    public static RetryOverrides Parse(string text)
    {
        var overrides = new RetryOverrides(text);
        foreach (string entry in text.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            string[] words = entry.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (words.Length < 2)
            {
                throw new FormatException();
            }

            foreach (string word in words[1..])
            {
                overrides._all.Add(Read(words[0], word));
            }
        }

        return overrides;
    }

    /// <summary>Throws unless each name is an effect that the app asks for.</summary>
    /// <exception cref="OptionException">One is not.</exception>
    public void Require(IReadOnlyList<EffectContract> asked)
    {
        foreach ((string name, _, _) in _all)
        {
            if (!asked.Any(contract => IsOf(contract, name) || contract.Methods.Any(method => IsOf(contract, method, name))))
            {
                string[] known = [.. asked.SelectMany(static contract => contract.Methods.Select(
                    method => $"{contract.InterfaceType.Name}.{method.Name}"))];
                throw new OptionException($"--effects-retry names {name}, which is no effect of this app: "
                    + (known.Length == 0 ? "it asks for none." : $"it asks for {string.Join(", ", known)}."));
            }
        }
    }

    /// <summary>How an effect is tried again.</summary>
    public EffectPolicy Of(PendingEffect effect)
    {
        EffectContract contract = effect.Contract;
        EffectMethod method = effect.Method;
        if (_all.Count == 0)
        {
            return method.Policy;
        }

        EffectPolicy policy = With(method.Policy, name => IsOf(contract, name));
        policy = With(policy, name => IsOf(contract, method, name));
        return policy with { LongestTicks = Math.Max(policy.FirstTicks, policy.LongestTicks) };
    }

    private static bool IsOf(EffectContract contract, string name) =>
        name == contract.InterfaceType.Name || name == contract.InterfaceName;

    private static bool IsOf(EffectContract contract, EffectMethod method, string name) =>
        name.EndsWith("." + method.Name, StringComparison.Ordinal) && IsOf(contract, name[..^(method.Name.Length + 1)]);

    private static (string Name, string Setting, long Value) Read(string name, string word)
    {
        string[] parts = word.Split('=');
        if (parts is ["attempts", var count])
        {
            return (name, parts[0], int.TryParse(count, NumberStyles.None, CultureInfo.InvariantCulture, out int attempts)
                ? attempts : throw new FormatException());
        }

        if (parts is not ["timeout" or "first" or "longest" or "within", var time]
            || !time.Contains(':', StringComparison.Ordinal) // A number alone would be days.
            || !TimeSpan.TryParseExact(time, "c", CultureInfo.InvariantCulture, out TimeSpan value) || value <= TimeSpan.Zero
            || value > (parts[0] == "within" ? TimeSpan.FromDays(36500) : TimeSpan.FromDays(20)))
        {
            throw new FormatException();
        }

        return (name, parts[0], value.Ticks);
    }

    private EffectPolicy With(EffectPolicy policy, Func<string, bool> isMeant)
    {
        foreach ((string name, string setting, long value) in _all)
        {
            policy = !isMeant(name) ? policy : setting switch
            {
                "timeout" => policy with { TimeoutTicks = value },
                "first" => policy with { FirstTicks = value },
                "longest" => policy with { LongestTicks = value },
                "within" => policy with { WithinTicks = value },
                _ => policy with { Attempts = (int)value },
            };
        }

        return policy;
    }
}
