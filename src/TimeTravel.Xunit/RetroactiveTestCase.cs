using System.ComponentModel;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace Ambrosia.Replay;

/// <summary>One log for one test method.</summary>
public sealed class RetroactiveTestCase : XunitTestCase
{
    /// <summary>For xunit, which restores test cases from text.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [Obsolete("Called by xunit only.")]
    public RetroactiveTestCase()
    {
    }

    /// <summary>A log for a method.</summary>
    public RetroactiveTestCase(IMessageSink messages, TestMethodDisplay display, TestMethodDisplayOptions displayOptions,
        ITestMethod method, string folder)
        : base(messages, display, displayOptions, method) => Folder = folder;

    /// <summary>Folder of the log, as the attribute names it.</summary>
    public string Folder { get; private set; } = "";

    /// <inheritdoc/>
    public override Task<RunSummary> RunAsync(
        IMessageSink diagnosticMessageSink, IMessageBus messageBus, object[] constructorArguments, ExceptionAggregator aggregator,
        CancellationTokenSource cancellationTokenSource)
    {
        string folder = Path.Combine(AppContext.BaseDirectory, Folder); // A rooted folder stays as it is.
        object[] arguments = [new RetroactiveLog(folder)];
        return new XunitTestCaseRunner(this, DisplayName, SkipReason, constructorArguments, arguments, messageBus, aggregator,
            cancellationTokenSource).RunAsync();
    }

    /// <inheritdoc/>
    public override void Serialize(IXunitSerializationInfo data)
    {
        ArgumentNullException.ThrowIfNull(data);
        base.Serialize(data);
        data.AddValue("folder", Folder);
    }

    /// <inheritdoc/>
    public override void Deserialize(IXunitSerializationInfo data)
    {
        ArgumentNullException.ThrowIfNull(data);
        base.Deserialize(data);
        Folder = data.GetValue<string>("folder");
    }

    /// <inheritdoc/>
    protected override string GetUniqueID() => $"{base.GetUniqueID()} {Folder}";
}
