namespace Ambrosia.Runtime;

/// <summary>Takes a call that is written down in place of being sent.</summary>
internal interface ICallRecorder
{
    /// <summary>What a proxy or a class of effects can be used for while calls go here, as a sentence for people.</summary>
    string Advice { get; }

    /// <summary>The call is complete.</summary>
    /// <param name="methodId">The method that it calls.</param>
    /// <param name="arguments">Its encoded arguments.</param>
    void Record(int methodId, byte[] arguments);
}
