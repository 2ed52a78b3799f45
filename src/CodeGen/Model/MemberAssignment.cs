namespace Ambrosia.CodeGen.Model;

/// <summary>How a member that was read gets into its object.</summary>
public enum MemberAssignment
{
    /// <summary>As a constructor argument.</summary>
    Constructor,

    /// <summary>In the object initializer, and it must have been sent: a required member.</summary>
    Required,

    /// <summary>In the object initializer, because it has an init accessor; if it was not sent, its initial value stays.</summary>
    Initializer,

    /// <summary>After construction, and only if it was sent: its initial value stays otherwise.</summary>
    Afterwards,
}
