namespace Shop.Effects;

/// <summary>A letter that was sent.</summary>
/// <param name="Id">Its Message-ID.</param>
/// <param name="To">Who gets it.</param>
/// <param name="Subject">What it is about.</param>
internal sealed record Letter(string Id, string To, string Subject);
