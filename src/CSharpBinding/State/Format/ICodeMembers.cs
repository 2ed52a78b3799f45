using System.Reflection;

namespace Ambrosia.Runtime;

/// <summary>What a fingerprint of code asks and tells about the members that it meets.</summary>
internal interface ICodeMembers
{
    /// <summary>The body refers to this type, method or field.</summary>
    void Found(MemberInfo member);

    /// <summary>The name that stands for a field or method.</summary>
    string NameOf(MemberInfo member);
}
