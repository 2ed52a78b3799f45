using System.ComponentModel;
using System.Reflection;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>What editors offer to those who reference the package.</summary>
public sealed class OfferedTypesTests
{
    private static readonly string[] s_forUsers = ["Ambrosia", "Microsoft.Extensions.DependencyInjection"];

    [Fact]
    public void Editors_offer_what_a_user_names_and_not_what_generated_code_and_coordinators_need()
    {
        Type[] types = [.. new[] { typeof(Immortal), typeof(RpcHeader), typeof(Lsn) }
            .SelectMany(static each => each.Assembly.GetExportedTypes())];
        string[] others = [.. types.Where(static each => !each.IsNested && !s_forUsers.Contains(each.Namespace) && !IsHidden(each))
            .Select(static each => each.FullName!)];
        Assert.Equal(
            ["Ambrosia.Hosting.ICoordinatorLauncher", "Ambrosia.Serialization.MessagePackException"], others.Order(StringComparer.Ordinal));
        Assert.Contains(types, static each => each == typeof(Immortal) && !IsHidden(each));
    }

    private static bool IsHidden(Type type) =>
        type.GetCustomAttribute<EditorBrowsableAttribute>() is { State: EditorBrowsableState.Never };
}
