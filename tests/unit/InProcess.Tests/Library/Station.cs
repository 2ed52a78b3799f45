namespace Ambrosia.InProcess.Tests.Library;

public sealed class Station : StationBase
{
    public override DurableTask<Temperature?> Coldest(List<Temperature> measured) =>
        measured.Count == 0 ? (Temperature?)null : measured.MinBy(static t => t.ToTenths());
}
