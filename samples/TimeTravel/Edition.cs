namespace Vouchers;

/// <summary>Which of the two versions of the program this process is: a stand-in for two builds.</summary>
internal static class Edition
{
    /// <summary>The one after the bug was found.</summary>
    public static bool IsFixed { get; private set; }

    /// <summary>Called once, before anything else.</summary>
    public static string[] Choose(string[] args)
    {
        IsFixed = args.Contains("--fixed");
        return [.. args.Where(static arg => arg != "--fixed")];
    }
}
