// As much of Node's own modules as node.js uses, so that its types are checked without a package of them.

declare class Buffer extends Uint8Array {
  static alloc(size: number): Buffer;
  static from(values: any, ...others: any[]): Buffer;
  static concat(parts: Buffer[]): Buffer;
  toString(encoding?: string, start?: number): string;
  subarray(start?: number, end?: number): Buffer;
  copy(target: Uint8Array, start: number): number;
  readUInt16BE(at: number): number;
  readBigUInt64BE(at: number): bigint;
  writeUInt16BE(value: number, at?: number): number;
  writeBigUInt64BE(value: bigint, at?: number): number;
}

declare function setTimeout(call: () => void, ms: number): { unref(): void };

declare module 'node:crypto' {
  export function randomBytes(size: number): Buffer;
  export function createHash(name: string): { update(text: string): { digest(encoding: string): string } };
}

declare module 'node:net' {
  export interface Socket {
    on(event: 'data', call: (bytes: Buffer) => void): void;
    on(event: 'error', call: (error: Error) => void): void;
    on(event: 'close', call: () => void): void;
    write(bytes: Buffer): void;
    end(bytes: Buffer): void;
    destroy(): void;
    setNoDelay(isSet: boolean): void;
  }
}

declare module 'node:http' {
  export interface IncomingMessage {
    statusCode: number;
    headers: Record<string, string>;
  }
  export interface ClientRequest {
    on(event: string, call: (...values: any[]) => void): void;
    end(): void;
    destroy(): void;
  }
  export function request(url: string, options: { headers: Record<string, string> }): ClientRequest;
}

declare module 'node:https' {
  export { request } from 'node:http';
}
