/** Types of parameters and results in OpenRPC documents: JSON Schemas with examples. */

export interface Type {
  /** JSON Schema; its title names the type to people. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly example: unknown
}

const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const HASH = '0xd88733a7a96d06a7c2b94b5b29598792d3457c81bc0b336667f0f1f1d5d57f54'
const ZERO_SLOT = `0x${'0'.repeat(64)}`

const HEX = { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' }
const HASH_TEXT = { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' }
const QUANTITY = { type: 'string', pattern: '^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$' }
const OBJECT_OR_NULL = { type: ['object', 'null'] }
const OBJECTS = { type: ['array', 'null'], items: {} }

/** Types by name, as the tables of methods use them. */
export const TYPES: Readonly<Record<string, Type>> = {
  json: { schema: { title: 'JSON value' }, example: null },
  text: { schema: { title: 'text', type: 'string' }, example: 'newHeads' },
  texts: { schema: { title: 'list of texts', type: 'array', items: { type: 'string' } }, example: ['trace'] },
  boolean: { schema: { title: 'true or false', type: 'boolean' }, example: false },
  numbers: {
    schema: { title: 'list of numbers', type: 'array', items: { type: 'number' } },
    example: [25, 50, 75],
  },
  quantity: { schema: { title: 'number, 0x-hexadecimal', ...QUANTITY }, example: '0x1' },
  count: {
    schema: { title: 'number, 0x-hexadecimal or decimal', type: ['string', 'number'] },
    example: '0x1',
  },
  address: {
    schema: { title: 'address, 0x-hexadecimal', type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
    example: ADDRESS,
  },
  addresses: { schema: { title: 'list of addresses', type: 'array', items: { type: 'string' } }, example: [ADDRESS] },
  hash: { schema: { title: '32 bytes, 0x-hexadecimal', ...HASH_TEXT }, example: HASH },
  bytes: { schema: { title: 'bytes, 0x-hexadecimal', ...HEX }, example: '0x' },
  slot: { schema: { title: 'storage slot, 0x-hexadecimal', type: 'string' }, example: ZERO_SLOT },
  slots: {
    schema: { title: 'list of storage slots', type: 'array', items: { type: 'string' } },
    example: [ZERO_SLOT],
  },
  block: {
    schema: {
      title: 'block: number, tag or hash',
      type: ['string', 'object', 'null'],
      description: 'A number, latest, pending, safe, finalized, earliest, or an object with blockNumber or blockHash.',
    },
    example: 'latest',
  },
  slotsByAddress: {
    schema: { title: 'storage slots by address', type: 'object' },
    example: { [ADDRESS]: [ZERO_SLOT] },
  },
  call: {
    schema: {
      title: 'call',
      type: 'object',
      properties: {
        from: { type: 'string', description: 'Sender.' },
        to: { type: ['string', 'null'], description: 'Receiver or contract; absent: a creation.' },
        gas: { ...QUANTITY, description: 'Gas limit.' },
        gasPrice: { ...QUANTITY, description: 'Price. Unit: wei for each unit of gas.' },
        maxFeePerGas: { ...QUANTITY, description: 'Highest price. Unit: wei for each unit of gas.' },
        maxPriorityFeePerGas: { ...QUANTITY, description: 'Highest tip. Unit: wei for each unit of gas.' },
        value: { ...QUANTITY, description: 'Coins to send. Unit: wei.' },
        nonce: { ...QUANTITY, description: 'Nonce of the sender.' },
        input: { ...HEX, description: 'Data of the call, or code of the creation.' },
      },
    },
    example: { from: ADDRESS, to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', value: '0x1' },
  },
  overrides: {
    schema: {
      title: 'overrides',
      ...OBJECT_OR_NULL,
      description: 'Fields that replace those of the state or the block.',
    },
    example: {},
  },
  filter: {
    schema: {
      title: 'filter',
      type: 'object',
      description: 'A range by fromBlock and toBlock or a blockHash, addresses, and topics.',
    },
    example: { fromBlock: 'earliest', toBlock: 'latest' },
  },
  tracer: {
    schema: {
      title: 'options of the tracer',
      ...OBJECT_OR_NULL,
      description: 'Tracer, its options, and the time that it may take.',
    },
    example: { tracer: 'callTracer' },
  },
  object: { schema: { title: 'object', ...OBJECT_OR_NULL }, example: {} },
  objects: { schema: { title: 'list', ...OBJECTS }, example: [] },
  logs: { schema: { title: 'list of logs', ...OBJECTS }, example: [] },
  transaction: { schema: { title: 'transaction', ...OBJECT_OR_NULL }, example: null },
  receipt: { schema: { title: 'receipt', ...OBJECT_OR_NULL }, example: null },
}

/** Schemas of the kinds of parameters in the engine RPC (`cometbft/params.ts`). */
export const KINDS: Readonly<Record<string, Type['schema']>> = {
  int: { title: 'number, or decimal text', type: ['string', 'number'] },
  bool: { title: 'true or false', type: 'boolean' },
  text: { title: 'text', type: 'string' },
  hexBytes: { title: 'bytes, hexadecimal', type: 'string' },
  base64Bytes: { title: 'bytes, base64', type: 'string' },
  texts: { title: 'list of texts', type: 'array', items: { type: 'string' } },
  json: { title: 'object', type: 'object' },
}
