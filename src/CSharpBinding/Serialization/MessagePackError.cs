namespace Ambrosia.Serialization;

/// <summary>What was wrong with a value or its bytes.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum MessagePackError
{
    /// <summary>The bytes end inside a value.</summary>
    Truncated,

    /// <summary>A value of another kind stands there: text where a number belongs, an array of another length.</summary>
    WrongType,

    /// <summary>A number, date or text does not fit the declared type.</summary>
    OutOfRange,

    /// <summary>A null stands where the declared type does not allow one.</summary>
    UnexpectedNull,

    /// <summary>Values are nested deeper than <see cref="MessagePackLimits.MaxDepth"/>; when writing, usually a cycle.</summary>
    TooDeep,

    /// <summary>An array, map, text or binary claims more elements than the remaining bytes can hold.</summary>
    CountExceedsData,

    /// <summary>Text is not valid UTF-8, or a string to write has half a surrogate pair.</summary>
    InvalidText,

    /// <summary>A union carries a tag, or holds a type, that its declaration does not list.</summary>
    UnknownTag,

    /// <summary>A member that the declared type requires is missing.</summary>
    MissingMember,

    /// <summary>MessagePack-CSharp has to write or read the type, and no resolver has a formatter for it.</summary>
    NoFormatter,

    /// <summary>A resolver or formatter of MessagePack-CSharp has failed, or done something else than one value.</summary>
    FormatterFailed,
}
