namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>An interface whose formatters the generator makes: records, optional members, collections, unions, recursion.</summary>
[ImmortalInterface]
public interface IDepot
{
    Parcel Pack(Parcel parcel, Dictionary<string, List<decimal>> prices, (int Id, Guid Tag)? note);
}
