using Ambrosia.Samples;

namespace Bank;

/// <summary>Compares four independent books: the clients' counts, the shards' accounts, the auditor's movements, and the tellers'
/// files.</summary>
internal sealed class Audit
{
    private readonly List<(string Subject, string Finding, bool Good)> _findings = [];

    public Audit(
        Dictionary<string, ClientReport> clients, Dictionary<string, ShardReport> shards, AuditorReport auditor,
        Dictionary<string, OutsideHistory> outside)
    {
        CheckMoney(shards, auditor);
        CheckCalls(clients);
        CheckMessages(clients, shards, auditor);
        foreach ((string client, OutsideHistory history) in outside)
        {
            CheckOutside(client, clients[client].Placed, history);
        }

        bool nothingOpen = clients.Values.All(static client => client.Open == 0);
        IsSettled = nothingOpen && Passed;
    }

    /// <summary>True if nothing is under way any more; until then differences mean nothing.</summary>
    public bool IsSettled { get; }

    public bool Passed => _findings.All(static finding => finding.Good);

    public void Print(SampleRun run)
    {
        foreach ((string subject, string finding, bool good) in _findings)
        {
            run.Say($"  {subject,-20} {finding,-78} {(good ? Terminal.Good("ok") : Terminal.Bad("WRONG"))}");
        }
    }

    private void CheckMoney(Dictionary<string, ShardReport> shards, AuditorReport auditor)
    {
        AccountReport[] accounts = [.. shards.Values.SelectMany(static shard => shard.Accounts)];
        decimal total = accounts.Sum(static account => account.Balance);
        decimal expected = accounts.Length * Shard.Opening;
        decimal underWay = accounts.Sum(static account => Math.Abs(account.UnderWay));
        Add("money", $"{total:N2} of {expected:N2} in {accounts.Length} accounts, {underWay:N2} under way",
            accounts.Length == 2 * Shard.Accounts && total == expected && underWay == 0);

        Dictionary<string, decimal> movements =
            auditor.Movements.ToDictionary(static account => account.Name, static account => account.Balance);
        int differing = accounts.Count(account => account.Balance != Shard.Opening + movements.GetValueOrDefault(account.Name));
        Add("auditor's books", $"{differing} of {accounts.Length} accounts differ from the shards'", differing == 0);
    }

    private void CheckCalls(Dictionary<string, ClientReport> clients)
    {
        long calls = clients.Values.Sum(static client => client.Calls);
        long answers = clients.Values.Sum(static client => client.Answers);
        long wrong = clients.Values.Sum(static client => client.WrongAnswers);
        long open = clients.Values.Sum(static client => client.Open);
        Add("awaited calls", $"{calls:N0} sent, {answers:N0} answered, {wrong} answered wrongly, {open} loops open", calls == answers
            && calls > 0 && wrong == 0 && open == 0);
    }

    private void CheckMessages(Dictionary<string, ClientReport> clients, Dictionary<string, ShardReport> shards, AuditorReport auditor)
    {
        Dictionary<(string From, string To), long> sent = [];
        foreach ((string from, IReadOnlyList<SentReport> reports) in clients.Select(static client => (client.Key, client.Value.Sent))
            .Concat(shards.Select(static shard => (shard.Key, shard.Value.Sent))))
        {
            foreach (SentReport report in reports)
            {
                sent[(from, report.Receiver)] = report.Count;
            }
        }

        var arrived = shards.Select(static shard => (shard.Key, shard.Value.Arrivals)).Append(("auditor", auditor.Arrivals))
            .SelectMany(static entry => entry.Item2.Select(report => (From: report.Sender, To: entry.Item1, Report: report)))
            .ToDictionary(static entry => (entry.From, entry.To), static entry => entry.Report);
        long count = arrived.Values.Sum(static report => report.Count);
        long lost = sent.Sum(entry =>
            entry.Value - (arrived.TryGetValue(entry.Key, out ArrivalReport? report) ? report.Highest - report.Missing : 0));
        long duplicates = arrived.Values.Sum(static report => report.Duplicates);
        long disordered = arrived.Values.Sum(static report => report.OutOfOrder);
        Add("messages", $"{count:N0} on {sent.Count} connections: {lost} lost, {duplicates} duplicated, {disordered} out of order",
            count > 0 && lost == 0 && duplicates == 0 && disordered == 0);
    }

    // The file was written outside of all immortals, so it knows nothing of logs and recoveries.
    private void CheckOutside(string client, IReadOnlyList<long> placed, OutsideHistory history)
    {
        int twice = placed.Count - placed.Distinct().Count();
        int lost = history.Answered.Except(placed).Count();
        int invented = placed.Except(history.Asked).Count();
        bool ordered = placed.Zip(placed.Skip(1)).All(static pair => pair.First < pair.Second);
        int unanswered = history.Asked.Except(history.Answered).Count();
        int executed = placed.Except(history.Answered).Count();
        Add(
            "outside " + client,
            $"{history.Answered.Count:N0} orders answered, {lost} of them lost, {twice} run twice; {unanswered} cut off, "
            + $"{executed} of them run",
            lost == 0 && twice == 0 && invented == 0 && ordered);
    }

    private void Add(string subject, string finding, bool good) => _findings.Add((subject, finding, good));
}
