// Much of it is waiting for leases, which last 15 s at least: each collection beside the others, and one test of each at a time.
[assembly: CollectionBehavior(MaxParallelThreads = 3)]
