namespace Ambrosia;

/// <summary>Compensations of a saga used up their attempts; all others have run. The message names them and says why each failed.</summary>
public sealed class CompensationFailedException : Exception
{
    internal CompensationFailedException(string message)
        : base(message)
    {
    }
}
