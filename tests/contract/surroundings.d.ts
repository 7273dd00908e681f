// Of node's types the client needs no more than this.
declare const process: { argv: string[]; exitCode: number };
