namespace Ambrosia.CodeGen.Model;

/// <summary>How a member that was read gets into its object.</summary>
public enum MemberAssignment
{
    /// <summary>As a constructor argument.</summary>
    Constructor,

    /// <summary>In the object initializer: init accessors and required members.</summary>
    Initializer,

    /// <summary>After construction, and only if it was sent: its initial value stays otherwise.</summary>
    Afterwards,
}
