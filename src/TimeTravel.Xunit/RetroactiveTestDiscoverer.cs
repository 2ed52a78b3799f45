using Xunit.Abstractions;
using Xunit.Sdk;

namespace Ambrosia.Replay;

/// <summary>Makes one test case of each method with <see cref="RetroactiveTestAttribute"/>; xunit finds it by name.</summary>
public sealed class RetroactiveTestDiscoverer(IMessageSink messages) : IXunitTestCaseDiscoverer
{
    /// <inheritdoc/>
    public IEnumerable<IXunitTestCase> Discover(ITestFrameworkDiscoveryOptions discoveryOptions, ITestMethod testMethod,
        IAttributeInfo factAttribute)
    {
        ArgumentNullException.ThrowIfNull(factAttribute);
        string folder = factAttribute.GetConstructorArguments().OfType<string>().Single();
        return [new RetroactiveTestCase(messages, discoveryOptions.MethodDisplayOrDefault(),
            discoveryOptions.MethodDisplayOptionsOrDefault(), testMethod, folder)];
    }
}
