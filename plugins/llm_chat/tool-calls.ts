import type { FunctionCallItem, Json } from 'chukwa/plugin';
import type { ToolCallPiece } from './chunk.js';

/** Far more than any model makes at once. */
const CALLS_MAX = 128;

interface OpenCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  provider: Json | undefined;
}

/**
 * Assembles the tool calls of one answer from the pieces of its stream. A piece belongs to the call of its index. Servers
 * repeat ids and names, make a new id for every piece, leave the index out, or give two calls one index: the comments
 * below say what tells calls apart. Arguments are joined, and not read.
 */
export class ToolCalls {
  readonly #calls: OpenCall[] = [];
  /** Characters of all that is held. */
  length = 0;

  append(piece: ToolCallPiece): void {
    const call = this.#find(piece) ?? this.#open(piece);
    if (call === undefined) return;
    const name = piece.name === call.name ? '' : piece.name;
    const id = call.id === '' ? piece.id : '';
    call.id += id;
    call.name += name;
    call.arguments += piece.arguments;
    call.provider = piece.provider ?? call.provider;
    const provider = piece.provider === undefined ? '' : JSON.stringify(piece.provider);
    this.length += id.length + name.length + piece.arguments.length + provider.length;
  }

  get items(): readonly FunctionCallItem[] {
    return this.#calls.map(({ id, name, arguments: written, provider }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: written,
      ...(provider === undefined ? {} : { provider }),
    }));
  }

  #find({ index, id, name }: ToolCallPiece): OpenCall | undefined {
    const call =
      index === undefined && id !== ''
        ? this.#calls.find((known) => known.id === id)
        : this.#calls.findLast((known) => index === undefined || known.index === index);
    // A further call has an id and a name of its own; a further piece has at most a new id.
    const isAnother = call !== undefined && id !== '' && call.id !== '' && id !== call.id && name !== '';
    return isAnother ? undefined : call;
  }

  #open({ index }: ToolCallPiece): OpenCall | undefined {
    if (this.#calls.length === CALLS_MAX) return undefined;
    const call = { index, id: '', name: '', arguments: '', provider: undefined };
    this.#calls.push(call);
    return call;
  }
}
