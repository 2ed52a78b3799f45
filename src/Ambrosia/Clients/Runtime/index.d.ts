/** What ends a call that has no result. */
export declare class CallError extends Error {
  protected constructor();
  /** The method, as the immortal calls it. */
  readonly method: string;
  /** Its key: with it the call can be sent again, or its answer asked for. None for a query, or a call without a key. */
  readonly key: string | undefined;
  /** Which failure it is, such as IC-7013; empty if the address said none. `ambrosia explain IC-7013` tells more. */
  readonly code: string;
  /** The status of HTTP; 0 if there was no answer. */
  readonly status: number;
}

/** The handler threw an exception. That is the answer: each repeat with the key gets it, and a new try needs a new key. */
export declare class CallFailed extends CallError {
  private constructor();
  /** Name of the exception's type. */
  readonly type: string;
  /** What the exception declares with [Throws]. */
  readonly data: unknown;
}

/** The call was refused. */
export declare class CallRefused extends CallError {
  private constructor();
  readonly title: string;
  readonly detail: string;
  /** Whether each repeat is told the same. */
  readonly final: boolean;
  /** Whether an earlier try may have arrived, so that the call may have run. */
  readonly mayHaveRun: boolean;
}

/** There was no answer: the call may have run, and it may still run. Send it again with `key`, or ask with `answer`. */
export declare class CallNotAnswered extends CallError {
  private constructor();
  /** False if nothing of this call has reached the immortal: no address was there, or each try was refused. */
  readonly mayHaveRun: boolean;
  /** Whether each repeat with the key is told the same: nobody can say any more. */
  readonly final: boolean;
}

/** A UUIDv7 or a ULID; what the header Idempotency-Key takes; or a name, and when the wish arose: a Date, or milliseconds since 1970. */
export type Key = string | {
  readonly name: string;
  readonly made: Date | number;
  /** The id of the instance that the call is for. One that keeps no log must be named: it refuses with IC-7028 else, and tells its id. */
  readonly instance?: string;
};

export interface WaitOptions {
  /** Ends the waiting, and not the call. */
  readonly signal?: AbortSignal;
  /** Milliseconds to wait in all, or Infinity. Default: that of connect, which is 60,000. */
  readonly deadline?: number;
}

export interface CallOptions extends WaitOptions {
  /** The key. Without one the call gets one of its own; `null` sends it without a key, at most once. */
  readonly key?: Key | null;
}

export interface SendOptions extends WaitOptions {
  readonly key?: Key;
}

export interface QueryOptions extends WaitOptions {
  /** A record that must have been executed before. */
  readonly atLeast?: bigint | number;
}

export interface ConnectOptions {
  /** What callers show. A function is asked before each try, and once more after a token was refused. */
  readonly token?: string | (() => string | Promise<string>);
  /** Milliseconds that a call waits in all, or Infinity. Default: 60,000. */
  readonly deadline?: number;
  /** Name of the instance, if it is another one than the package was made from. */
  readonly instance?: string;
  /** What takes the place of fetch. */
  readonly fetch?: typeof globalThis.fetch;
  /** Milliseconds since 1970, by which keys are made. Default: Date.now. */
  readonly now?: () => number;
}

/** The answer of a query. */
export interface Answer<T> {
  readonly value: T;
  /** The record after which it was true. */
  readonly record: bigint;
}

/** Arguments and options; arguments may be left out where none is needed. */
export type Parameters<A, O> = {} extends A ? [args?: A, options?: O] : [args: A, options?: O];

/** A method without parameters takes none. */
export type NoArguments = Record<string, never>;

/** A value of an enum that has no single name: its number, or names with commas between. */
export type OtherValue<T extends string> = number | `${T},${string}`;

export interface Call<A, R, Kept = R> {
  /** Calls it, once, and waits for the result. */
  (...parameters: Parameters<A, CallOptions>): Promise<R>;
  /** Waits only until the call is in the log; the key, by which its answer can be asked for. */
  send(...parameters: Parameters<A, SendOptions>): Promise<string>;
  /** Waits for the answer of a call that was made earlier. */
  answer(key: Key, options?: WaitOptions): Promise<Kept>;
}

export interface Query<A, R> {
  /** Asks without logging anything. */
  query(...parameters: Parameters<A, QueryOptions>): Promise<Answer<R>>;
  /**
   * Watches: the answer of now, and each one that differs, through restarts and failovers, and never back to an older one. Ends with the loop
   * that reads it, or with `signal`; `deadline` is the time in which a stream must begin.
   */
  watch(...parameters: Parameters<A, QueryOptions>): AsyncGenerator<Answer<R>, never, undefined>;
}

export interface AwakeableOptions extends WaitOptions {
  readonly fetch?: typeof globalThis.fetch;
}

/** A key that no other call has, made now: a UUIDv7. */
export declare function newKey(now?: number): string;

/** Completes an awakeable with a value. */
export declare function complete(url: string | URL, value: unknown, options?: AwakeableOptions): Promise<void>;

/** Rejects an awakeable. */
export declare function reject(url: string | URL, reason?: string, options?: AwakeableOptions): Promise<void>;
