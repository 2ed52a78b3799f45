namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>An answer that did not come from the emulator.</summary>
/// <param name="Status">Its status.</param>
/// <param name="Body">Its text.</param>
internal sealed record MadeUpAnswer(int Status, string Body)
{
    /// <summary>A failure as the table service tells it.</summary>
    public static MadeUpAnswer Failure(int status, string code) =>
        new(status, $$$$"""{"odata.error":{"code":"{{{{code}}}}","message":{"lang":"en-US","value":"It says so.\nRequestId:1"}}}""");
}
