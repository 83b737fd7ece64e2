/**
 * Stands for the program `hermes`: like Hermes Agent, it loads the plugin of its folder with what its .env says, then asks
 * the provider about the gryphon, and prints its own arguments and what the provider recalls.
 */
export const HERMES_STUB = `#!/usr/bin/env python3
import abc, os, pathlib, runpy, sys, types
module = types.ModuleType("agent.memory_provider")
module.MemoryProvider = abc.ABC
sys.modules.update({"agent": types.ModuleType("agent"), "agent.memory_provider": module})
home = pathlib.Path.home() / ".hermes"
os.environ.update(line.split("=", 1) for line in (home / ".env").read_text().splitlines())
context = types.SimpleNamespace()
context.register_memory_provider = lambda found: setattr(context, "provider", found)
runpy.run_path(str(home / "plugins/svc/__init__.py"))["register"](context)
context.provider.initialize("one", platform="cli")
print(*sys.argv[1:])
print(context.provider.prefetch("When is the gryphon fed?"))
`;
