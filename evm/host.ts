/**
 * The functions that the interpreter imports from the host. Addresses and slots are passed in A, values are returned in B, as
 * big-endian words. An i32 result is the gas to pay.
 */
export declare function sload(): i32
export declare function sstore(): i32
export declare function tload(): void
export declare function tstore(): void
export declare function balance(): i32
export declare function selfbalance(): void
export declare function extcodehash(): i32
/** Writes the code size of the account in A to B, as u32. */
export declare function extcodesize(): i32
/** Copies code of the account in A, with zeros after its end. */
export declare function extcodecopy(target: usize, offset: u32, length: u32): void
export declare function blockhash(): void
export declare function blobhash(index: u32): void
/** Adds a log. Topics are big-endian words, each 32 bytes below the previous one. */
export declare function log(data: usize, length: u32, topics: usize, count: u32): void
/** Destructs the running account in favour of the account in A. In a static frame only the price counts. */
export declare function selfdestruct(isStatic: u32): i32
/** Returns the price of calling the account in A: access, a delegation's target, a new account. */
export declare function callcost(opcode: u32, valued: u32): i32
/** Copies from return data that does not fit RETURN_DATA. */
export declare function returndatacopy(target: usize, offset: u32, length: u32): void
/** Throws in the host: memory cannot grow on this machine. That is a failure of the machine, not of the code. */
export declare function noMemory(): void
/** Called when fuel is used up between two jumps. The host throws to end the execution. */
export declare function pause(): void
