namespace Ambrosia.Samples;

/// <summary>A sample did not do what it should; the message is what a person is told.</summary>
internal sealed class SampleException(string message) : Exception(message);
