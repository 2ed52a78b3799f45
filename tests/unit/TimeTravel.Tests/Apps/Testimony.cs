namespace Ambrosia.TimeTravel.Tests.Apps;

public sealed record Testimony(string Text, decimal Weight);
