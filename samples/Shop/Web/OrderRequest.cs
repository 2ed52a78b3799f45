namespace Shop.Web;

/// <summary>An order of a browser, which makes the key when somebody presses the button, and sends it with each try.</summary>
internal sealed record OrderRequest(string Key, DateTimeOffset Made, string Customer, string Item);
