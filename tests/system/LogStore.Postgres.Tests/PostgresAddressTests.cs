using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Npgsql;

namespace Ambrosia.LogStore.Postgres.Tests;

public sealed class PostgresAddressTests
{
    [Fact]
    public void An_address_says_where_the_database_is_and_how_it_is_spoken_to()
    {
        PostgresAddress full =
            PostgresAddress.Parse("postgres://bank%40corp@db.example:6432/ledger?schema=blue&sslmode=verify-full&sslrootcert=/etc/ca.pem");
        Assert.Equal(new PostgresAddress("bank@corp", "db.example", 6432, "ledger", "blue", SslMode.VerifyFull, "/etc/ca.pem"), full);
        Assert.Equal("postgres://db.example:6432/ledger?schema=blue", full.Location);
        Assert.Equal(new PostgresAddress("", "localhost", 5432, "ledger", "ambrosia", SslMode.Prefer, ""),
            PostgresAddress.Parse("postgres:///ledger"));
        Assert.Equal("/run/postgresql", PostgresAddress.Parse("postgres:///ledger?host=/run/postgresql").Host);
    }

    [Theory]
    [InlineData("postgres://u:hunter2@host/db")]
    [InlineData("postgres://u:hunter2@host/")]
    [InlineData("postgres://host")]
    [InlineData("postgres:db")]
    [InlineData("postgres://host/db?password=hunter2")]
    [InlineData("postgres://host/db?schema=a;drop")]
    [InlineData("postgres://host/db?sslmode=hunter2")]
    public void What_is_no_address_or_holds_a_secret_is_refused_without_repeating_it(string uri)
    {
        foreach (Action open in (Action[])[() => LogStores.Open(uri, "bank", new LogStoreOptions(), PostgresWorld.Environment()), () =>
            Catalogs.Open(uri, PostgresWorld.Environment())])
        {
            LogStoreException refused = Assert.Throws<LogStoreException>(open);
            Assert.Equal("IC-2046", refused.Code);
            Assert.DoesNotContain("hunter2", refused.ToString(), StringComparison.Ordinal);
        }
    }
}
