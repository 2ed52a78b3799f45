using System.Reflection;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

public sealed class LogEventTests
{
    [Fact] // People filter and alert by it.
    public void Each_log_event_has_an_id_of_its_own()
    {
        const BindingFlags Any = BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
        LoggerMessageAttribute[] events =
        [
            .. typeof(Immortal).Assembly.GetTypes().SelectMany(static type => type.GetMethods(Any | BindingFlags.DeclaredOnly))
                .Select(static method => method.GetCustomAttribute<LoggerMessageAttribute>()).OfType<LoggerMessageAttribute>(),
        ];
        Assert.True(events.Length > 20, $"only {events.Length}");
        Assert.Empty(events.GroupBy(static each => each.EventId).Where(static group => group.Count() > 1)
            .Select(static group => string.Join(" | ", group.Select(static each => $"{each.EventId}: {each.Message}"))));
    }
}
