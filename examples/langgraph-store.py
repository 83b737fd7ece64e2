# A store of LangGraph that keeps its items in svc. A graph takes it as `graph.compile(store=store)`.
#   pip install './clients/python[langgraph]'
#   python3 langgraph-store.py 'What does Ada drink?'
import sys

from svc_memory.langgraph import SvcStore

store = SvcStore()  # SVC_URL, SVC_API_KEY
store.put(("ada", "facts"), "tea", {"text": "Ada prefers oolong tea", "sure": True})
store.put(("ada", "facts"), "city", {"text": "Ada may have moved to Graz", "sure": False})
question = " ".join(sys.argv[1:]) or "What does Ada drink?"
for item in store.search(("ada",), query=question, filter={"sure": True}, limit=3):
    print(f"{item.key}: {item.value['text']}")
