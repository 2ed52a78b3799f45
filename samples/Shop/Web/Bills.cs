using System.Text.Json;

namespace Shop.Web;

/// <summary>The provider's books: a file for each bill, whole whenever the process ends.</summary>
internal sealed class Bills(string folder)
{
    private readonly object _gate = new();

    /// <summary>All bills.</summary>
    public Bill[] All() => !Directory.Exists(folder) ? []
        : [.. Directory.GetFiles(folder, "*.json").Select(static file => JsonSerializer.Deserialize<Bill>(File.ReadAllText(file))!)];

    /// <summary>Changes one, and gives it back; null if there is none.</summary>
    /// <param name="order">Number of the order.</param>
    /// <param name="change">Gets what is there, or null.</param>
    public Bill? Change(int order, Func<Bill?, Bill?> change)
    {
        lock (_gate)
        {
            Directory.CreateDirectory(folder);
            string file = Path.Combine(folder, $"{order}.json");
            Bill? bill = change(File.Exists(file) ? JsonSerializer.Deserialize<Bill>(File.ReadAllText(file)) : null);
            if (bill is not null)
            {
                File.WriteAllText(file + ".draft", JsonSerializer.Serialize(bill));
                File.Move(file + ".draft", file, overwrite: true);
            }

            return bill;
        }
    }
}
