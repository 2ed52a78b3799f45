namespace Ambrosia;

/// <summary>
/// Marks a method that keeps the old body of one that was changed, so that calls suspended in the old body can be resumed after an
/// upgrade: <c>[Continues(nameof(Deposit))] private async DurableTask&lt;decimal&gt; DepositV1(...)</c>. New calls go to the changed
/// method; the old one can be deleted once no suspended call is left in it.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ContinuesAttribute(string method) : Attribute
{
    /// <summary>The name of the method whose suspended calls this one resumes.</summary>
    public string Method { get; } = method;
}
