import type { SearchWords } from './language.ts';

export const chineseWords = (): SearchWords => ({
  framing: `哪里 哪儿 哪 哪个 哪家 哪位 哪天 哪年 什么 什么时候 谁 怎么 怎样 如何 为什么 几 几个 几点 几岁 多少 多大 多久 多高 多远 请问 告诉 说过 提到 提过
    记得 知道 能 可以 现在 目前 当前 叫 名字 名叫 称呼 是 有 没有 做 干 会 要 应该 种 类型 最近 上次 还 自己 一些 平时 通常 一般 最 在哪 是不是 有没有 吗
    呢 的话 样 时候 去哪 号 天 家 里 去 来 用 给 跟 到 为 对 过 着 了 次 些 件 只 条 台 部 本`,
  common: `天 星期 周 月 年 小时 分钟 时间 早上 上午 下午 晚上 中午 每天 每周 好 新 旧 大 小 第一 最后 下次 去 来 用 使用 需要 待 找 总是 从不 所有 两 三
    男 女 人 东西 部分 边 地方 号码 开始 早 晚 更 重要 一起 放 大概 大约 经常 觉得 喜欢`,
  asks: {
    place: /(?:哪里|哪儿|在哪|去哪|哪个(?:城市|国家|地方|区)|什么地方|地址)/u,
    time: /(?:什么时候|几点|哪天|哪年|几月|几号|何时|星期几|周几|日期)/u,
    number: /(?:多少|几(?:个|岁|次|年|只|本|位|天)|多(?:大|久|高|远|重)|号码)/u,
    name: /(?:谁|叫什么|名字|哪位|哪家)/u,
  },
  past: /(?:以前|之前|原来|原先|从前|过去|曾经|当初|最初|上一[个任份家])/u,
  isUnspaced: true,
  meanings: `
    live: 住 住在 居住 住址 地址 搬 搬家 搬到 定居 租住
    flat: 公寓 房子 住房
    work: 工作 上班 职业 任职 公司 单位 职位 跳槽 入职 就职 打工 谋生 雇主 行业
    boss: 老板 上司 领导 经理 主管
    colleague: 同事 搭档
    study: 读书 大学 专业 学习 硕士 本科 学位 博士 毕业
    school: 学校 上学 小学 中学 年级 幼儿园
    partner: 丈夫 妻子 老公 老婆 爱人 先生 太太 男朋友 女朋友 对象 伴侣 未婚妻 未婚夫
    child: 孩子 小孩 子女 > 儿子 女儿 宝宝 双胞胎
    mother: 妈妈 母亲 妈
    father: 爸爸 父亲 爸
    parents: 父母 > 妈妈 爸爸 母亲 父亲
    sibling: 兄弟姐妹 > 姐姐 妹妹 哥哥 弟弟
    grandmother: 奶奶 外婆 姥姥
    grandfather: 爷爷 外公 姥爷
    family: 家人 亲戚 > 妈妈 爸爸 姐姐 妹妹 哥哥 弟弟 儿子 女儿
    pet: 宠物 动物 > 狗 猫 小狗 小猫 仓鼠 兔子 鹦鹉 鸟 鱼 乌龟
    dog: 狗 小狗 狗狗 > 金毛 柯基 拉布拉多 泰迪
    cat: 猫 小猫 猫咪
    birthday: 生日 出生
    age: 年龄 岁
    phone: 手机 电话 手机号 > 苹果 华为 小米 iphone
    mail: 邮箱 邮件
    car: 车 汽车 开车 轿车 > 特斯拉 丰田 比亚迪 大众 本田
    bike: 自行车 单车 骑车
    commute: 通勤 上班 > 地铁 公交 骑车 开车
    like: 喜欢 喜爱 最爱 爱 偏好
    hate: 讨厌 不喜欢 受不了 反感
    eat: 吃 饭 食物 菜 美食 晚饭 午饭 晚餐 午餐 > 火锅 面条 饺子 米饭 寿司
    drink: 喝 饮料 > 咖啡 茶 啤酒 酒 水
    breakfast: 早餐 早饭 > 豆浆 包子 燕麦
    allergy: 过敏 不耐受 忌口
    diet: 素食 吃素 素食者 饮食 忌口
    doctor: 医生 大夫 看病 > 牙医 中医
    dentist: 牙医 牙科
    medicine: 药 吃药 药物 服用
    illness: 病 疾病 患有 生病 > 糖尿病 哮喘 高血压 偏头痛
    sport: 运动 锻炼 健身 体育 > 跑步 游泳 足球 篮球 羽毛球 网球 攀岩 瑜伽 乒乓球
    run: 跑步 马拉松 晨跑
    hobby: 爱好 业余 兴趣 > 画画 摄影 陶艺 收集 收藏 园艺 围棋 象棋 跳舞 钓鱼
    instrument: 乐器 弹 演奏 > 钢琴 吉他 小提琴 大提琴 古筝 笛子 鼓 二胡
    music: 音乐 歌 歌手 乐队 听
    read: 读 看书 书 小说 作家 阅读
    film: 电影 电视剧 剧 综艺
    game: 游戏 玩
    language: 语言 说 母语 外语 学 > 中文 英语 法语 德语 西班牙语 日语 俄语 韩语 粤语
    travel: 旅行 旅游 度假 假期 出差 航班 飞
    money: 工资 薪水 月薪 收入 年薪
    price: 价格 花 多少钱 费用 付 元 块 租金 学费
    bank: 银行 账户 银行卡
    insurance: 保险 投保
    rent: 房租 租金 房东 租
    meeting: 会议 开会 例会 见面 预约 会
    deadline: 截止 期限 提交 交
    begin: 开始 起
    end: 结束 完
    open: 开门 营业 开放 关门
    wake: 起床 闹钟 醒
    sleep: 睡觉 睡 入睡
    wedding: 结婚 婚礼 纪念日 领证
    buy: 买 购买 买了
    gift: 礼物 送
    clothes: 衣服 > 鞋子 裤子 衬衫 外套 裙子
    size: 尺码 身高 鞋码 厘米 穿
    color: 颜色 > 红色 蓝色 绿色 黄色 黑色 白色 紫色 橙色
    computer: 电脑 笔记本 > macbook thinkpad
    editor: 编辑器 > vim neovim emacs vscode
    system: 操作系统 系统 > linux ubuntu windows macos
    programming: 编程 代码 语言 写代码 > python rust typescript java go kotlin
    database: 数据库 > postgresql postgres mysql sqlite
    server: 服务器 部署 托管 > 阿里云 腾讯云 aws
    password: 密码 口令
    wifi: 无线 网络 宽带 wifi
    project: 项目
    customer: 客户
    weekday: 星期 周 > 星期一 星期二 星期三 星期四 星期五 星期六 星期天 周一 周二 周三 周四 周五 周六 周日
    garden: 花园 阳台 种 植物 > 番茄 玫瑰
    meat: 肉 > 鸡肉 牛肉 猪肉
    alcohol: 酒 酒精 > 啤酒 白酒 红酒
    fruit: 水果 > 苹果 草莓 香蕉 芒果
    city: 城市
    country: 国家 来自
    grow: 长大 老家 出生 故乡 家乡 小时候
    club: 俱乐部 协会 合唱团 社团 成员
    volunteer: 志愿者 义工 志愿
    course: 课程 课 培训 上课
    glasses: 眼镜 近视 度数
    fear: 害怕 怕 恐惧
    smoke: 抽烟 吸烟 戒烟 烟
    hairdresser: 理发 理发师 剪头发
    therapist: 心理医生 咨询师 理疗
    repair: 修 修理 修车 维修
    key: 钥匙
    office: 办公室 居家 工位
    parking: 停车 停车位 车位 车库
    cook: 做饭 做菜 厨艺 拿手
    collect: 收集 收藏
    neighbor: 邻居
    sick: 生病 受伤 骨折 手术
    restaurant: 餐厅 饭店 饭馆 咖啡馆
    shop: 商店 超市 店
    teacher: 老师 教练 导师
    newspaper: 报纸 订阅 杂志
    save: 存钱 攒钱 储蓄
    religion: 宗教 信仰 > 佛教 基督教 伊斯兰教 天主教
    license: 驾照 护照 身份证
    blood: 血型
    weight: 体重 公斤
    goal: 目标 计划 打算
    leader: 负责 带领
    profession: 职业 工作 上班 干什么 谋生 行业 任职 从事 > 护士 医生 老师 教师 工程师 木匠 厨师 面包师 律师 会计 程序员 建筑师 设计师 记者 销售 助产士 兽医 药剂师 电工 园丁 摄影师 警察 理发师 图书管理员 研究员 翻译 编辑 公务员 自由职业 导游
    tax: 税 报税 会计 个税
    notes: 笔记 记录 > obsidian notion
    backup: 备份 硬盘
    nickname: 外号 昵称 小名 绰号
    shift: 班 夜班 白班 轮班 值班
    snack: 零食 > 巧克力 薯片 饼干
    dessert: 甜点 蛋糕 甜品 > 冰淇淋
    podcast: 播客
    donate: 捐款 捐
    team: 球队 球迷 支持
    together: 室友 合租
    thesis: 论文 毕业 答辩
    injury: 受伤 膝盖 腰 肩膀 骨折 手术
    train: 火车 高铁
    delivery: 快递 包裹 外卖
    answer: 回答 回复 简短 简洁`,
});
