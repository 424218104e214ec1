/**
 * The few globals the core uses, which Node, Bun and browsers share. Declared here instead of a whole DOM or Node
 * library, so that the core cannot reach for anything else.
 */
declare class URL {
  constructor(input: string)
  static parse(input: string): URL | null
  readonly hash: string
  readonly hostname: string
  readonly origin: string
  readonly pathname: string
  readonly protocol: string
  readonly port: string
  readonly searchParams: URLSearchParams
  username: string
  password: string
  readonly href: string
}

declare class URLSearchParams {
  get(name: string): string | null
  keys(): Iterable<string>
}

declare class CompressionStream {
  constructor(format: "gzip")
  readonly readable: AsyncIterable<Uint8Array<ArrayBuffer>>
  readonly writable: {
    getWriter(): {
      write(chunk: Uint8Array): Promise<void>
      close(): Promise<void>
    }
  }
}

declare class TextEncoder {
  encode(input: string): Uint8Array<ArrayBuffer>
}

declare class TextDecoder {
  constructor(label: string, options: { readonly fatal: boolean; readonly ignoreBOM?: boolean })
  decode(input?: Uint8Array, options?: { readonly stream: boolean }): string
}
