namespace Ambrosia.DurableScenarios;

public class Account
{
    public string Owner = "";
    public decimal Balance;
    public Account? Partner;
    public List<string> Log = [];
}
