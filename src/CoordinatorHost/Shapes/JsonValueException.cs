namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>JSON that is not what a method takes.</summary>
/// <param name="path">Where: <c>$.order.lines[2].price</c>.</param>
/// <param name="reason">What is wrong there.</param>
internal sealed class JsonValueException(string path, string reason) : FormatException($"{path}: {reason}");
