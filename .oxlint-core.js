/**
 * What the linter has no rule for: `new Date(value)` is a conversion and may be used anywhere, `new Date()` reads the
 * clock.
 */
const noCurrentDate = {
  meta: { type: "problem" },
  create(context) {
    const isDate = (node) => node.callee.type === "Identifier" && node.callee.name === "Date"
    const report = (node) =>
      context.report({ node, message: "Take `now` as an argument, or use Effect's Clock." })
    return {
      NewExpression(node) {
        if (isDate(node) && node.arguments.length === 0) report(node)
      },
      CallExpression(node) {
        if (isDate(node)) report(node)
      }
    }
  }
}

export default { meta: { name: "core" }, rules: { "no-current-date": noCurrentDate } }
