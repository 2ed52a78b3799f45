using System.Globalization;
using Ambrosia.Protocol;

namespace Ambrosia;

/// <summary>What an immortal offers to its callers: generated from its interface.</summary>
/// <param name="InterfaceName">Full name of the interface.</param>
/// <param name="Hash">SHA-256, as hexadecimal text, over the names, ids and signatures of the methods.</param>
/// <param name="Methods">The methods in the order of their ids.</param>
public sealed record ImmortalContract(string InterfaceName, string Hash, IReadOnlyList<ImmortalMethod> Methods)
{
    /// <summary>How arguments and results are sent.</summary>
    public WireEncoding Encoding { get; init; }

    /// <summary>What the methods take and return, as JSON for machines; empty if the generator did not say.</summary>
    public string Shapes { get; init; } = "";

    /// <summary>A line for each method, as in a contract file: interface, method id, signature, result.</summary>
    internal string ToText() =>
        string.Concat(Methods.Select(m => string.Create(CultureInfo.InvariantCulture, $"{InterfaceName} {m.Id} {m.Signature}\n")));

    /// <summary>The name of the method with this id, for people; the number itself if there is none.</summary>
    public string NameOf(int methodId)
    {
        foreach (ImmortalMethod method in Methods)
        {
            if (method.Id == methodId)
            {
                return method.Name;
            }
        }

        return methodId == ReservedMethods.OnFirstStart ? "OnFirstStart" : $"method {methodId}";
    }
}
