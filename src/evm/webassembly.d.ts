/** Types of Node.js that its own type package expects from the DOM's. */
declare namespace WebAssembly {
  type ImportValue = unknown
  type Imports = Readonly<Record<string, Readonly<Record<string, ImportValue>>>>
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports?: Imports)
    readonly exports: Record<string, unknown>
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number })
    readonly buffer: ArrayBuffer
  }
  class Table {
    constructor(descriptor: { element: 'anyfunc'; initial: number })
  }
  function compile(bytes: Uint8Array): Promise<Module>
  function instantiate(module: Module, imports?: Imports): Promise<Instance>
}

interface Buffer {
  /** Reads like `toString('latin1', start, end)`, without its checks. */
  latin1Slice(start: number, end: number): string
  /** Writes like `write(text, offset, length, 'latin1')`, without its checks. */
  latin1Write(text: string, offset: number, length: number): number
}
