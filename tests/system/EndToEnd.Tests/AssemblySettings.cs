// Every test starts processes of its own and many load the machine: one at a time.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
