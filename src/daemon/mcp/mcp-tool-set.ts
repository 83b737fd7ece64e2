/** What a client may ask for instead of the tools of every day. Apart from the tools, which load the SDK. */
export const NAMED_TOOL_SETS = ['tidy', 'extract', 'chatgpt'] as const;
export type ToolSet = 'everyday' | (typeof NAMED_TOOL_SETS)[number];
