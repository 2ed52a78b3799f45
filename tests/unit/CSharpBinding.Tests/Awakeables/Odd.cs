namespace Ambrosia.CSharpBinding.Tests.Awakeables;

/// <summary>A value whose constructor may refuse what it is made of.</summary>
internal sealed class Odd
{
    /// <summary>By what <see cref="OddFormatter"/> tells what to say.</summary>
    public static string?[] Refusals { get; } = [null, new string('x', 999) + "\ud83d\ude00", "\ud800 alone", ""];

    public Odd(string which)
    {
        if (which.Length > 0)
        {
            throw new OddException(Refusals[which[0] - '0']);
        }
    }

    private sealed class OddException(string? message) : Exception
    {
        public override string Message => message!;
    }
}
