/** The parts of html-to-text used here. The package has no types of its own. */
declare module "html-to-text" {
  interface Element {
    readonly attribs?: Readonly<Record<string, string | undefined>>
    readonly children: ReadonlyArray<Element>
  }
  interface Builder {
    pushWordTransform(transform: (word: string) => string): void
    popWordTransform(): unknown
    addInline(text: string, options?: { readonly noWordTransform?: boolean }): void
  }
  interface Options {
    readonly wordwrap: number | false
    readonly limits: { readonly maxDepth: number; readonly ellipsis: string }
    readonly formatters: Readonly<
      Record<
        string,
        (
          element: Element,
          walk: (children: ReadonlyArray<Element>, builder: Builder) => void,
          builder: Builder
        ) => void
      >
    >
    readonly selectors: ReadonlyArray<{
      readonly selector: string
      readonly format?: string
      readonly options?: Readonly<Record<string, unknown>>
    }>
  }
  export function compile(options: Options): (html: string) => string
}
