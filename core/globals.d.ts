/**
 * The few globals the core uses, which Node, Bun and browsers share. Declared here instead of a whole DOM or Node
 * library, so that the core cannot reach for anything else.
 */
declare class URL {
  constructor(input: string)
  readonly hostname: string
  readonly protocol: string
  readonly href: string
}

declare class TextEncoder {
  encode(input: string): Uint8Array<ArrayBuffer>
}
