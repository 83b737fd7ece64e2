import type { Assistant, Format } from './assistant.ts';
import type { Editor } from './editing/document.ts';
import { jsoncEditor } from './editing/edit-jsonc.ts';
import { tomlEditor } from './editing/edit-toml.ts';
import { yamlEditor } from './editing/edit-yaml.ts';

const EDITORS: Record<Format, Editor> = {
  json: jsoncEditor(true),
  jsonc: jsoncEditor(false),
  toml: tomlEditor,
  yaml: yamlEditor,
};

export function editorFor({ format }: Assistant): Editor {
  return EDITORS[format];
}

/** Returns the assistant with the entry path and formats for the layout of `text`. Throws if it cannot be parsed. */
export function variantFor(assistant: Assistant, text: string): Assistant {
  return assistant.variant ? { ...assistant, ...assistant.variant(editorFor(assistant).read(text)) } : assistant;
}
