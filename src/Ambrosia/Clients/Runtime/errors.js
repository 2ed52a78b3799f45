// What ends a call that has no result. Each says of which method and key it was.

/** What all of them are. */
export class CallError extends Error {
  constructor(name, message, fields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = name;
    this.method = fields.method;
    this.key = fields.key;
    this.code = fields.code ?? "";
    this.status = fields.status ?? 0;
  }
}

/** The handler threw an exception. That is the answer, and each repeat with the key gets it. */
export class CallFailed extends CallError {
  constructor(exception, fields) {
    super("CallFailed", exception.message, fields);
    this.type = exception.type;
    this.data = exception.data;
  }
}

/** The call was refused. */
export class CallRefused extends CallError {
  constructor(message, fields) {
    super("CallRefused", message, fields);
    this.title = fields.title ?? "";
    this.detail = fields.detail ?? message;
    this.final = fields.final === true;
    this.mayHaveRun = fields.mayHaveRun === true;
  }
}

/** There was no answer. The call may have run, and it may still run. */
export class CallNotAnswered extends CallError {
  constructor(message, fields) {
    super("CallNotAnswered", message, fields);
    this.final = fields.final === true;
    this.mayHaveRun = fields.mayHaveRun !== false;
  }
}
