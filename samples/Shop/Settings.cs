using System.Globalization;

namespace Shop;

/// <summary>What differs between a demonstration, a shop that somebody plays with, and a real one: variables of the environment.</summary>
internal static class Settings
{
    /// <summary>Where letters and the provider's books lie.</summary>
    public static string Data => Read("SHOP_DATA", Path.Combine(
        Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData), "ambrosia-shop"));

    /// <summary>Where the web front listens.</summary>
    public static string Web => Read("SHOP_WEB", "http://127.0.0.1:8600");

    /// <summary>Where the coordinator of orders takes calls: <c>--ingress</c> in app.json.</summary>
    public static string Orders => Read("SHOP_ORDERS", "http://127.0.0.1:8601");

    /// <summary>Where that of the warehouse does.</summary>
    public static string Warehouse => Read("SHOP_WAREHOUSE", "http://127.0.0.1:8602");

    /// <summary>How long an order waits for its money.</summary>
    public static TimeSpan PaymentTime => Time("SHOP_PAYMENT_TIME", "00:15:00");

    /// <summary>How long the mail server takes to answer.</summary>
    public static TimeSpan MailTime => Time("SHOP_MAIL_TIME", "00:00:00");

    /// <summary>When the day is closed; the default is at three in the night.</summary>
    public static string ReportAt => Read("SHOP_REPORT_AT", "0 3 * * *");

    private static string Read(string name, string otherwise) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : otherwise;

    private static TimeSpan Time(string name, string otherwise) => TimeSpan.Parse(Read(name, otherwise), CultureInfo.InvariantCulture);
}
